/* The smallest guest that proves an accelerator: real mode, protected mode, paging, long mode, then QEMU ends.
 * boot_sector.py has the assembled bytes; a unit test assembles this file and compares:
 *   as -o s.o boot_sector.S && ld -m elf_x86_64 -Ttext 0x7c00 --oformat binary -o s.bin s.o
 */
        .code16
        .globl  _start
_start: cli
        xorw    %ax, %ax
        movw    %ax, %ds
        movw    %ax, %es
        movw    %ax, %ss
        movw    $0x7c00, %sp
        /* One identity mapping of 2 MiB: PML4 at 0x1000, PDPT at 0x2000, PD at 0x3000. */
        movw    $0x1000, %di
        movw    $0x1800, %cx
        cld
        rep stosw
        movw    $0x2003, (0x1000)
        movw    $0x3003, (0x2000)
        movw    $0x0083, (0x3000)
        lgdt    gdt_pointer
        movl    $0x20, %eax             /* CR4.PAE */
        movl    %eax, %cr4
        movl    $0x1000, %eax
        movl    %eax, %cr3
        movl    $0xc0000080, %ecx       /* EFER.LME */
        rdmsr
        orl     $0x100, %eax
        wrmsr
        movl    $0x80000001, %eax       /* CR0.PG, CR0.PE */
        movl    %eax, %cr0
        ljmp    $0x08, $long_mode
        .code64
long_mode:
        movw    $0x501, %dx             /* isa-debug-exit: QEMU ends with (value << 1) | 1 */
        movb    $0x2a, %al
        outb    %al, %dx
1:      hlt
        jmp     1b
        .balign 8
gdt:    .quad   0
        .quad   0x00209a0000000000      /* 64-bit code */
gdt_pointer:
        .word   gdt_pointer - gdt - 1
        .long   gdt

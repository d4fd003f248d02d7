from node0.cli import main

raise SystemExit(main())

"""The base live ISO: how it is built (`build`), and how one file of it is customised (`embed`)."""

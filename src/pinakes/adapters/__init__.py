"""The tools of a server in the form that agent frameworks take; each module needs its framework and nothing more."""

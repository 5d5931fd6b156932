"""Rules about Applications, AppProjects, ApplicationSets and sync waves."""

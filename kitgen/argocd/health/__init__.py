"""Health checks in Lua: those that come with kitgen, and what runs any of them within bounds."""

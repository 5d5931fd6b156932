-- An Application is as healthy as it says. While it syncs it is not yet what it is to be, so that what comes in a
-- later wave waits for it.
if (obj.metadata or {}).deletionTimestamp then
  return {status = "Progressing", message = "being deleted"}
end
local status = obj.status or {}
local operation, health = status.operationState or {}, status.health or {}
if obj.operation or operation.phase == "Running" or operation.phase == "Terminating" then
  return {status = "Progressing", message = operation.message or "a sync is under way"}
end
local synced = (status.sync or {}).status
if synced ~= "Synced" and (operation.phase == "Failed" or operation.phase == "Error") then
  return {status = "Degraded", message = operation.message or "the last sync failed"}
end
if not health.status then
  return {status = "Progressing", message = "waiting for Argo CD to look at the application"}
end
return {status = health.status, message = health.message or ""}

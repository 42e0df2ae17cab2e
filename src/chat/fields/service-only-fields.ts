/**
 * Fields of a request that only this service uses. They are never sent to an upstream, so filters do not read them. Every
 * encoder must remove them.
 */
export const serviceOnlyFields: ReadonlySet<string> = new Set([
  'models',
  'preset',
  'provider',
  'route',
  'plugins',
  'transforms',
  'session_id',
  'trace',
  'debug',
  'usage',
  'stop_server_tools_when',
])

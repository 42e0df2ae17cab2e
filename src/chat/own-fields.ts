/**
 * Fields of a request's body that speak to this service. No upstream gets them, which is why no filter looks at them:
 * these fields must be removed from every body that is sent.
 */
export const ownFields: ReadonlySet<string> = new Set([
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

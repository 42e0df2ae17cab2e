import type { Body } from '../wire.ts'

/** Fields of a request that speak to this service and mean nothing, or too much, to an upstream. */
const ours: ReadonlySet<string> = new Set([
  'models',
  'preset',
  'provider',
  'route',
  'plugins',
  'session_id',
  'trace',
  'debug',
  'usage',
  'stop_server_tools_when',
])

export function isOurs(name: string): boolean {
  return ours.has(name)
}

/** The body as an upstream may see it. Whatever is not known here passes: it may be a provider's own. */
export function withoutOurs(body: Body): Body {
  const sent: Body = {}
  for (const name in body) if (!ours.has(name)) sent[name] = body[name]
  return sent
}

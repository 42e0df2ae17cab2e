import type { Caller } from '#identity/accounts/caller.ts'
import type { AuditEvent, Change } from '#identity/audit/audit.ts'

type State = Record<string, unknown>

const withheld = '[withheld]'

/** Fields of an intern that only members who can use it may read. */
const privateFields = [
  'description',
  'instructions',
  'agent',
  'repository',
  'mcp_servers',
  'web_hosts',
  'last_failure_message',
  'progress',
]

/**
 * Removes from an audit event what the reader cannot read by the routes of its object. The URL of a webhook can contain
 * a credential, so only its origin remains. Only the creator of a private intern can read its events.
 */
export function publicEvent(event: AuditEvent, reader: Reader): AuditEvent {
  const show = visibleState[event.target.kind as Change['targetKind']] ?? unchanged
  const publicState = (state: unknown) =>
    typeof state === 'object' && state !== null ? show(state as State, reader) : state
  return { ...event, before: publicState(event.before), after: publicState(event.after) }
}

type Reader = Pick<Caller, 'userId'>

/** For objects that every reader of the audit log can also read by their own route. */
const unchanged = (state: State) => state

/** Lists every kind, so that a new kind is visible only after a decision. */
const visibleState: Record<Change['targetKind'], (state: State, reader: Reader) => State> = {
  webhook: withOrigin,
  intern: withoutPrivateFields,
  key: unchanged,
  guardrail: unchanged,
  budget: unchanged,
  assignment: unchanged,
  preset: unchanged,
  workspace: unchanged,
  member: unchanged,
  organization: unchanged,
  catalogue: unchanged,
  credential: unchanged,
  session: unchanged,
  passkey: unchanged,
  generation: unchanged,
}

function withOrigin(state: State): State {
  return typeof state.url === 'string' ? { ...state, url: URL.parse(state.url)?.origin ?? withheld } : state
}

/** The state at the time of the event decides who may read it. */
function withoutPrivateFields(state: State, { userId }: Reader): State {
  if (state.visibility !== 'creator' || state.creator_user_id === userId) return state
  const readable = { ...state }
  for (const name of privateFields) if (holdsAnything(state[name])) readable[name] = withheld
  return readable
}

function holdsAnything(value: unknown): boolean {
  return value != null && !(Array.isArray(value) && value.length === 0)
}

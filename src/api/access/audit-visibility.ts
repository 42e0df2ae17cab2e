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
 * An event of the audit trail without what the routes of its object refuse to the reader: the URL of a webhook, which
 * may be a credential, is reduced to its origin, and a private intern is readable for its creator only.
 */
export function publicEvent(event: AuditEvent, reader: Reader): AuditEvent {
  const show = visibleState[event.target.kind as Change['targetKind']] ?? whole
  const publicState = (state: unknown) =>
    typeof state === 'object' && state !== null ? show(state as State, reader) : state
  return { ...event, before: publicState(event.before), after: publicState(event.after) }
}

type Reader = Pick<Caller, 'userId'>

/** For objects that everybody who reads the audit trail may also read by their own route. */
const whole = (state: State) => state

/** Each kind is here, so that a new one is not visible before someone has decided how. */
const visibleState: Record<Change['targetKind'], (state: State, reader: Reader) => State> = {
  webhook: withOrigin,
  intern: withoutPrivateFields,
  key: whole,
  guardrail: whole,
  budget: whole,
  assignment: whole,
  preset: whole,
  workspace: whole,
  member: whole,
  organization: whole,
  catalogue: whole,
  credential: whole,
  session: whole,
  passkey: whole,
  generation: whole,
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

import type { WebhookEvent } from './webhook.ts'

/** An event as text for people: for Slack and email. */
type ReadableEvent = { title: string; lines: string[] }

type Data = Record<string, unknown>

/** Renders the payload of a delivery. `answer_url` is included if the payload has it. */
export function toReadableEvent(payload: string): ReadableEvent {
  const { type, data } = JSON.parse(payload) as { type: string; data: Data }
  // A delivery of an older version can have another type.
  const title = titles[type as WebhookEvent]?.(data) ?? type
  const lines = Object.entries(data).flatMap(([name, value]) => (value == null ? [] : [`${name}: ${valueText(value)}`]))
  return { title, lines }
}

/** The title of each event. An event that is missing here does not compile. */
const titles: Record<WebhookEvent, (data: Data) => string> = {
  'limit.nearly_spent': (data) => `${data.percent} % of ${limitName(data)} is spent`,
  'limit.spent': (data) => `${capitalize(limitName(data))} is spent`,
  'intern.question_asked': (data) => `${data.intern_name ?? 'An intern'} asks a question`,
  'intern.run_ended': (data) => `A run of ${data.intern_name ?? 'an intern'} ended`,
  'intern.failed': (data) => `${data.intern_name ?? 'An intern'} failed`,
  'webhook.test': () => 'Test of a Signalbox notification',
}

function limitName(data: Data): string {
  return `the limit of ${limitOwner(data)} (${data.limit_usd} USD ${data.reset_interval ?? 'in total'})`
}

function limitOwner({ limit_of, key_name, guardrail_name, user_email, session_id, tag_name, tag_value }: Data): string {
  if (session_id != null) return `the session "${session_id}"`
  if (tag_name != null) return `the tag ${tag_name} "${tag_value}"`
  const owner = key_name ?? user_email ?? guardrail_name
  if (owner == null) return `the ${limit_of}`
  return `${limit_of === 'key' ? 'the key' : `the ${limit_of} for`} "${owner}"`
}

const capitalize = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
const valueText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** Escapes `&`, `<` and `>`, so that text of users does not become links or mentions in Slack. */
const escapeForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The body for a Slack-compatible webhook. */
export function toSlackBody(payload: string): string {
  const { title, lines } = toReadableEvent(payload)
  return JSON.stringify({ text: escapeForSlack([`*${title}*`, ...lines].join('\n')) })
}

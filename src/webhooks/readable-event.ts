import type { WebhookEvent } from './webhook.ts'

/** An event as text for people: for Slack and email. */
export type ReadableEvent = { title: string; lines: string[] }

type Data = Record<string, unknown>

/** Renders the payload of a delivery. `answer_url` is included if the payload has it. */
export function readableEvent(payload: string): ReadableEvent {
  const { type, data } = JSON.parse(payload) as { type: string; data: Data }
  // A delivery of an older version can have another type.
  const title = titles[type as WebhookEvent]?.(data) ?? type
  const lines = Object.entries(data).flatMap(([name, value]) => (value == null ? [] : [`${name}: ${valueText(value)}`]))
  return { title, lines }
}

/** The title of each event. An event that is missing here does not compile. */
const titles: Record<WebhookEvent, (data: Data) => string> = {
  'limit.nearly_spent': (data) => `${data.percent} % of ${limitName(data)} is spent`,
  'limit.spent': (data) => `${capitalized(limitName(data))} is spent`,
  'intern.question_asked': (data) => `${data.intern_name ?? 'An intern'} asks a question`,
  'intern.run_ended': (data) => `A run of ${data.intern_name ?? 'an intern'} ended`,
  'intern.failed': (data) => `${data.intern_name ?? 'An intern'} failed`,
  'webhook.test': () => 'Test of a Signalbox notification',
}

function limitName({ limit_usd, reset_interval, limit_of, key_name, guardrail_name, user_email }: Data): string {
  const owner = key_name ?? user_email ?? guardrail_name
  const description =
    owner == null ? `the ${limit_of}` : `${limit_of === 'key' ? 'the key' : `the ${limit_of} for`} "${owner}"`
  return `the limit of ${description} (${limit_usd} USD ${reset_interval ?? 'in total'})`
}

const capitalized = (text: string) => text[0]!.toUpperCase() + text.slice(1)
const valueText = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value))

/** Escapes `&`, `<` and `>`, so that text of users does not become links or mentions in Slack. */
export const escapeForSlack = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The body for a Slack-compatible webhook. */
export function slackBody(payload: string): string {
  const { title, lines } = readableEvent(payload)
  return JSON.stringify({ text: escapeForSlack([`*${title}*`, ...lines].join('\n')) })
}

import type { Webhook } from '../../api/types.ts'

export const eventNames: Record<Webhook['events'][number], string> = {
  'intern.question_asked': 'a question is asked',
  'intern.run_ended': 'a run ends',
  'intern.failed': 'an intern fails',
  'limit.nearly_spent': 'a threshold of a limit is reached',
  'limit.spent': 'a limit is used up',
}

export const formatNames: Record<Webhook['format'], string> = {
  standard: 'JSON with a signature',
  slack: 'Slack and compatible services',
}

export const includeNames: Record<Webhook['include'][number], string> = {
  question: 'the text, including commands',
  answer_link: 'an answer link, usable by anyone who has it',
}

/** The form state of a webhook. */
export type WebhookFields = Pick<Webhook, 'url' | 'format' | 'events' | 'include' | 'enabled'> & { description: string }

export const newWebhook: WebhookFields = {
  url: '',
  format: 'standard',
  description: '',
  events: Object.keys(eventNames) as Webhook['events'],
  include: [],
  enabled: true,
}

export const fieldsOf = ({ url, format, description, events, include, enabled }: Webhook): WebhookFields => ({
  url,
  format,
  events,
  include,
  enabled,
  description: description ?? '',
})

/** The request body. `enabled` is not part of it: only existing webhooks can be disabled. */
export const bodyOf = ({ url, format, description, events, include }: WebhookFields) => ({
  url: url.trim(),
  format,
  events,
  include,
  description: description.trim() || null,
})

/** Adds or removes a value, in display order. */
export const toggleValue = <Value extends string>(
  all: Record<Value, string>,
  values: Value[],
  value: Value,
  isOn: boolean,
) => (Object.keys(all) as Value[]).filter((one) => (one === value ? isOn : values.includes(one)))

/** The host of a URL, or the whole of a `mailto:` URL, which has none. */
export const hostOf = (url: string) => URL.parse(url)?.host || url

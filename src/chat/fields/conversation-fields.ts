/**
 * The names of the conversation field, one for each kind of body. Filters, the prompt limit and plugins read these fields.
 * Add the name of a new client protocol here.
 */
const conversationFields = ['messages', 'input'] as const
export type ConversationField = (typeof conversationFields)[number]

const conversationFieldSet: ReadonlySet<string> = new Set(conversationFields)

export function isConversationField(field: string): boolean {
  return conversationFieldSet.has(field)
}

/**
 * The names under which request bodies have their conversation, one for each kind of body. Filters, the bound of the
 * prompt and the plugins look there. A client protocol that uses another name adds it here.
 */
const conversationFields = ['messages', 'input'] as const
export type ConversationField = (typeof conversationFields)[number]

const names: ReadonlySet<string> = new Set(conversationFields)

export function holdsConversation(field: string): boolean {
  return names.has(field)
}

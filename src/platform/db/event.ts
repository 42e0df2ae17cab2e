/** A stored notification for clients that listen. It is not the source of truth. */
export type NewEvent = {
  at: number
  /** The organization of the event; null for the operator. */
  organizationId: string | null
  kind: 'generations' | 'question' | 'intern' | 'circuit'
  /** JSON. */
  data: string
}

export const eventColumns = { at: 'bigint', organization_id: 'text', kind: 'text', data: 'text' } as const

/** What happened, as it is kept for those who listen: the truth stays where it is. */
export type NewEvent = {
  at: number
  /** Whose it is; null for the operator's. */
  organizationId: string | null
  kind: 'generations' | 'question' | 'intern' | 'circuit'
  /** JSON. */
  data: string
}

export const eventColumns = { at: 'bigint', organization_id: 'text', kind: 'text', data: 'text' } as const

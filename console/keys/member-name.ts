import type { Member } from '../api/types.ts'

export const memberName = ({ first_name, last_name, email }: Member) =>
  [first_name, last_name].filter(Boolean).join(' ') || email

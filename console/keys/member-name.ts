import type { Member } from '../api/types.ts'

export const nameOfMember = ({ first_name, last_name, email }: Member) =>
  [first_name, last_name].filter(Boolean).join(' ') || email

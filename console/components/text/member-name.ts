import type { Member } from '../../api/types.ts'

/** The full name of a member, or the email address of a member without a name. */
export const memberName = ({
  first_name,
  last_name,
  email,
}: Pick<Member, 'first_name' | 'last_name' | 'email'>): string =>
  [first_name, last_name].filter(Boolean).join(' ') || email

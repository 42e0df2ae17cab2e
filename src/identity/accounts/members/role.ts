import type { AccessRole } from '#platform/core/vocabulary.ts'

/**
 * What a member is to the organization. `member` is from before there were the others: it may do what a developer may, and
 * its keys see the requests of their whole workspace.
 */
export const memberRoles = ['owner', 'admin', 'developer', 'viewer', 'member'] as const
export type MemberRole = (typeof memberRoles)[number]

/** Those who may do everything. An organization always has one of them. */
export const managingRoles: readonly MemberRole[] = ['owner', 'admin']

export const accessOf = (role: MemberRole | undefined): AccessRole =>
  role === undefined || role === 'member' ? 'developer' : role

/** Whether a caller does all that an owner may: owners, and management keys themselves. */
export const actsAsOwner = ({ access }: { access?: AccessRole | undefined }) =>
  access === undefined || access === 'owner'

/**
 * What a member may do who is signed in: `owner` and `admin` all of the organization, `developer` what is their own,
 * `viewer` only read.
 */
export const accessRoles = ['owner', 'admin', 'developer', 'viewer'] as const
export type AccessRole = (typeof accessRoles)[number]

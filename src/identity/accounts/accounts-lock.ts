/** The name of the lock for changes to the keys, workspaces and members of an organization. */
export function accountsLock(organizationId: string): string {
  return `accounts of ${organizationId}`
}

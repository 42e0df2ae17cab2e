/** Changes to one organization's keys, workspaces and members follow each other, so that each sees the last one. */
export function accountsLock(organizationId: string): string {
  return `accounts of ${organizationId}`
}

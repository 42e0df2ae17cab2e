import { type AccessRole, accessRoles } from '#platform/core/vocabulary.ts'
import type { Route } from '../routes/route.ts'

/** What decides which roles may call a route. */
export type Governed = Pick<Route, 'key' | 'method' | 'isRead' | 'roles'>

export const reads = ({ method, isRead = false }: Pick<Governed, 'method' | 'isRead'>) => method === 'get' || isRead

/**
 * Who may call a route that is signed in: on routes for management keys owners and admins, and viewers to read; elsewhere
 * everybody but that viewers only read. A route says so where it is otherwise.
 */
export function rolesOf(route: Governed): readonly AccessRole[] {
  if (route.roles) return route.roles as readonly AccessRole[]
  const mayView = reads(route) || route.key === 'none'
  return accessRoles.filter(
    (role) =>
      role === 'owner' ||
      role === 'admin' ||
      (role === 'viewer' && mayView) ||
      (role === 'developer' && route.key !== 'management'),
  )
}

import { type AccessRole, accessRoles } from '#platform/core/vocabulary.ts'
import type { Route } from '../routes/route.ts'

/** The properties of a route that decide which roles can call it. */
export type GuardedRoute = Pick<Route, 'key' | 'method' | 'isRead' | 'roles' | 'scope'>

/** Whether a route changes nothing: `isRead` marks routes that read with another method than GET. */
export const isReadRoute = ({ method, isRead = false }: Pick<GuardedRoute, 'method' | 'isRead'>) =>
  method === 'get' || isRead

/**
 * Returns the roles that can call a route. By default, owners and admins can call every route, viewers those that read
 * or need no key, and developers those that are not for management keys. So viewers see all of the organization, and
 * developers only what they use. A route overrides this with `roles`.
 */
export function rolesOf(route: GuardedRoute): readonly AccessRole[] {
  if (route.roles) return route.roles
  const canView = isReadRoute(route) || route.key === 'none'
  return accessRoles.filter(
    (role) =>
      role === 'owner' ||
      role === 'admin' ||
      (role === 'viewer' && canView) ||
      (role === 'developer' && route.key !== 'management'),
  )
}

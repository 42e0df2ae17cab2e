import type { Route } from '../route.ts'
import { createSession } from './create.ts'
import { createSignInLink } from './create-link.ts'
import { deleteSession } from './end.ts'
import { deleteCurrentSession } from './end-current.ts'
import { getCurrentSession } from './get-current.ts'
import { listSessions } from './list.ts'
import { listSignInMethods } from './list-methods.ts'
import { getOidcSignIn } from './oidc.ts'
import { getOidcCallback } from './oidc-callback.ts'

export const sessionRoutes = {
  createSession,
  getCurrentSession,
  listSignInMethods,
  getOidcSignIn,
  getOidcCallback,
  deleteCurrentSession,
  listSessions,
  deleteSession,
  createSignInLink,
} satisfies Record<string, Route>

import type { Route } from '../route.ts'
import { createPasskey } from './create.ts'
import { createPasskeyOptions } from './create-options.ts'
import { deletePasskeyRoute } from './delete.ts'
import { listPasskeys } from './list.ts'
import { createPasskeySignInOptions } from './sign-in-options.ts'
import { updatePasskey } from './update.ts'

export const passkeyRoutes = {
  createPasskeySignInOptions,
  listPasskeys,
  createPasskeyOptions,
  createPasskey,
  updatePasskey,
  deletePasskey: deletePasskeyRoute,
} satisfies Record<string, Route>

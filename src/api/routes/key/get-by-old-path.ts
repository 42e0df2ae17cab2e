import { route } from '../route.ts'
import { getCurrentKey } from './get.ts'

export const getCurrentKeyByOldPath = route({
  ...getCurrentKey,
  path: '/auth/key',
  summary: 'The calling key, by the path that older clients know',
  description: 'The same as `GET /key`.',
})

import { route } from '../route.ts'
import { getCurrentKey } from './get.ts'

export const getCurrentKeyByOldPath = route({
  ...getCurrentKey,
  path: '/auth/key',
  summary: 'Get the calling key (path of older clients)',
  description: 'Same as `GET /key`.',
})

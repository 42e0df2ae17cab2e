import type { Route } from '../route.ts'
import { listBenchmarks } from './benchmarks.ts'
import { countModels } from './count.ts'
import { getModel } from './get.ts'
import { listModels } from './list.ts'
import { listEmbeddingsModels } from './list-embeddings.ts'
import { listModelsForUser } from './list-for-user.ts'
import { retrieveModel } from './retrieve.ts'

export const modelRoutes = {
  listModels,
  listModelsForUser,
  countModels,
  listEmbeddingsModels,
  listBenchmarks,
  getModel,
  retrieveModel,
} satisfies Record<string, Route>

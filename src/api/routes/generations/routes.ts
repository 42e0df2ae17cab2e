import type { Route } from '../route.ts'
import { addGenerationFeedback } from './add-feedback.ts'
import { deleteGenerationContent } from './delete-content.ts'
import { getGenerationsExport } from './export.ts'
import { getGeneration } from './get.ts'
import { getGenerationContent } from './get-content.ts'
import { listGenerationsRoute } from './list.ts'
import { releaseGenerations } from './release.ts'

export const generationRoutes = {
  getGeneration,
  getGenerationContent,
  deleteGenerationContent,
  listGenerations: listGenerationsRoute,
  releaseGenerations,
  addGenerationFeedback,
  getGenerationsExport,
} satisfies Record<string, Route>

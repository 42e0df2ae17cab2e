import { z } from '#platform/json/schema.ts'

/** The two path parameters that identify a model: by id, canonical slug or alias. */
export const ModelParams = z.object({
  author: z.string().min(1).describe('The author of the model.'),
  slug: z.string().min(1).describe('The slug of the model, with `:variant` if there is one.'),
})

export const modelName = ({ author, slug }: z.infer<typeof ModelParams>) => `${author}/${slug}`

import { z } from 'zod'
import { ModelItem, modelItem } from '#catalogue/model-item.ts'
import { namedModel } from '../../named-model.ts'
import { route } from '../../route.ts'

const Retrieved = ModelItem.extend({
  object: z.literal('model'),
  owned_by: z.string().describe("The model's author."),
})

export const retrieveModel = route({
  method: 'get',
  path: '/models/{id}',
  tag: 'models',
  key: 'any',
  summary: "One model, as OpenAI's clients retrieve it",
  description: 'The same as an entry of `GET /models`, for clients that ask by the whole id, its slash encoded or not.',
  request: {
    params: z.object({
      id: z.string().min(1).describe('The model’s id, canonical slug or alias, its slash escaped: `author%2Fslug`.'),
    }),
  },
  response: Retrieved,
  faults: ['unauthenticated', 'not_found'],
  handler: ({ params }, { catalogue }) => {
    const model = namedModel(catalogue.current(), params.id)
    return { ...modelItem(model), object: 'model' as const, owned_by: model.author }
  },
})

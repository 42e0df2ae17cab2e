import swagger from '@fastify/swagger'
import type { FastifyInstance } from 'fastify'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'

/** Describes every route mounted after this as OpenAPI 3.1; `app.swagger()` has it once the app is ready. */
export async function describeRoutes(
  app: FastifyInstance,
  about: {
    title: string
    description: string
    version: string
    prefix: string
    tags: { name: string; description: string }[]
  },
): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: about.title,
        description: about.description,
        version: about.version,
        license: { name: 'MIT', identifier: 'MIT' },
      },
      servers: [{ url: about.prefix }],
      tags: about.tags,
      components: {
        securitySchemes: {
          bearer: { type: 'http', scheme: 'bearer', description: 'An API, management or intern key: `sb-v1-…`' },
        },
      },
    },
    stripBasePath: true,
    transform: jsonSchemaTransform as never,
    transformObject: jsonSchemaTransformObject as never,
  })
}

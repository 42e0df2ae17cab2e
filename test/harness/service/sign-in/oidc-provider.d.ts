/** The part of `oidc-provider` that the tests use; the package has no types. */
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'
  export default class Provider {
    constructor(issuer: string, configuration: object)
    callback(): RequestListener
    interactionDetails(
      request: unknown,
      response: unknown,
    ): Promise<{ prompt: { name: string }; params: any; session?: any; grantId?: string }>
    interactionFinished(request: unknown, response: unknown, result: object, options: object): Promise<void>
    Grant: new (
      values: object,
    ) => {
      addOIDCScope: (scope: string) => void
      addOIDCClaims: (names: string[]) => void
      save: () => Promise<string>
    }
  }
}

/**
 * Zod, whose schemas are built at their first use: Zod creates an object for each call in a declaration, and the routes have
 * thousands of them.
 */
export * as z from './lazy-zod.ts'
export { defaultOf } from './lazy-zod.ts'

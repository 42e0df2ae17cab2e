/**
 * Zod, whose schemas are made when they are first used: Zod makes an object for each link of a chain, and all routes have
 * thousands of them.
 */
export * as z from './lazy-zod.ts'
export { defaultOf } from './lazy-zod.ts'

/** The library that validates settings, request bodies and stored JSON. The daemons of interns do not load it. */
export * as z from 'zod'

/**
 * `node:http` without an import: a named import reads every export, which loads the WebSocket client and `fetch`. They cost each
 * process 16 MB and a tenth of a second at its start.
 */
export const { Agent, createServer, request } = process.getBuiltinModule('node:http')

/** `node:https`, loaded at its first use. */
export const https = () => process.getBuiltinModule('node:https')

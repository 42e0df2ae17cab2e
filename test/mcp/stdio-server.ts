import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { newToolServer } from './tools.ts'

process.stderr.write('The server of the tests begins.\n')
const end = () => {
  process.stderr.write('Error: it was asked to die\n')
  process.exit(3)
}
await newToolServer({ secret: process.env.TOOLS_SECRET, end }).connect(new StdioServerTransport())

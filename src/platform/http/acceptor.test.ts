import { once } from 'node:events'
import { createServer } from 'node:http'
import { BoundSocket, connect } from 'node:net'
import { test } from 'node:test'
import { createAcceptor } from './acceptor.ts'

test('an acceptor that closed a descriptor never uses its number again', async () => {
  using own = new BoundSocket({ host: '127.0.0.1', port: 0 })
  using other = new BoundSocket({ host: '127.0.0.1', port: 0 })
  const acceptor = createAcceptor(createServer())
  await acceptor.accept([own.fd(), other.fd()])
  await acceptor.accept([own.fd()])
  await acceptor.accept([own.fd(), other.fd()])
  acceptor.release([own.fd(), other.fd()])
  const client = connect(own.address().port, '127.0.0.1')
  await once(client, 'connect')
  client.destroy()
  await acceptor.close()
})

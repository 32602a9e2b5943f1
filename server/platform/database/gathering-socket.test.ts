import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { GatheringSocket } from './gathering-socket.ts'

/** Counts the writes that reach the operating system. */
class CountedSocket extends GatheringSocket {
  sent = 0

  override _write(...provided: Parameters<GatheringSocket['_write']>): void {
    this.sent++
    super._write(...provided)
  }

  override _writev(...provided: Parameters<NonNullable<GatheringSocket['_writev']>>): void {
    this.sent++
    super._writev?.(...provided)
  }
}

test('all writes to a connection in one turn of the event loop are sent together', async () => {
  let received = ''
  const server = createServer((socket) => socket.on('data', (chunk) => (received += chunk.toString())))
  onTestFinished(() => void server.close())
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const socket = new CountedSocket()
  onTestFinished(() => void socket.destroy())
  await once(socket.connect((server.address() as AddressInfo).port, '127.0.0.1'), 'connect')
  for (const part of ['begin', ' ', 'select']) socket.write(part)
  await new Promise<void>((done) => socket.write(' one', () => done()))
  expect(socket.sent).toBe(1)
  await new Promise<void>((done) => socket.write(' two', () => done()))
  expect(socket.sent).toBe(2)
  socket.end()
  await expect.poll(() => received).toBe('begin select one two')
})

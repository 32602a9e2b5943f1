import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/**
 * A proxy between a service and its PostgreSQL server. It reads the traffic and can hold everything back from a chosen
 * moment. A test can then kill a process just before a statement reaches the database, or just before the reply reaches
 * the process.
 */
export interface PostgresProxy {
  readonly url: string
  /**
   * At the first moment for which `isIt` returns true, calls `then` and closes all connections. Holds back all traffic
   * until the next call of `arm`.
   */
  arm(isIt: (moment: ProxyMoment) => boolean, then: () => void): void
  close(): Promise<void>
}

export interface ProxyMoment {
  /**
   * Whether a statement is about to reach the database (`statement`), or its completion is about to reach the service
   * (`done`).
   */
  kind: 'statement' | 'done'
  text: string
  /** The database's tag for a completed statement, such as `UPDATE 3`; null if no statement was completed. */
  tag: string | null
  /** The statements that have been completed in the same transaction on this connection. */
  transaction: readonly Done[]
}

interface Done {
  text: string
  tag: string
}

export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const { hostname, port } = new URL(databaseUrl)
  const sockets = new Set<Socket>()
  let isIt: (moment: ProxyMoment) => boolean = () => false
  let then = () => {}
  let isHeld = false

  function holds(moment: ProxyMoment): boolean {
    if (isHeld || !isIt(moment)) return isHeld
    isHeld = true
    then()
    for (const socket of sockets) socket.destroy()
    return true
  }

  const server = createServer((client) => {
    const database = connect(Number(port), hostname)
    const texts = new Map<string, string>()
    const waiting: string[] = []
    let transaction: Done[] = []
    let isStarted = false
    for (const [socket, other] of [
      [client, database],
      [database, client],
    ] as const) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => socket.destroy())
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }

    const seen = (text: string) => {
      if (/^(begin|start transaction)/i.test(text)) transaction = []
      waiting.push(text)
      return holds({ kind: 'statement', text, tag: null, transaction })
    }
    pass(client, database, (type, body) => {
      if (type === 'P') {
        const [name = '', text = ''] = readStrings(body)
        texts.set(name, text)
      }
      if (type === 'B') return seen(texts.get(readStrings(body)[1] ?? '') ?? '')
      if (type === 'Q') return seen(readStrings(body)[0] ?? '')
      return isHeld
    })
    pass(database, client, (type, body) => {
      // After an error, the database skips statements. The next transaction starts with no pending statements.
      if (type === 'Z' && body.toString('latin1') === 'I') waiting.length = 0
      if (type !== 'C') return isHeld
      const [tag = ''] = readStrings(body)
      const text = waiting.shift() ?? ''
      const isHere = holds({ kind: 'done', text, tag, transaction })
      transaction.push({ text, tag })
      return isHere
    })

    // Forwards only whole messages, so that no message is held back in part. The first message of a client has no type.
    function pass(from: Socket, to: Socket, isStopped: (type: string, body: Buffer) => boolean): void {
      let rest = Buffer.alloc(0)
      from.on('data', (chunk: Buffer) => {
        rest = Buffer.concat([rest, chunk])
        let passed = 0
        for (;;) {
          const typeBytes = from === client && !isStarted ? 0 : 1
          if (rest.length < passed + typeBytes + 4) break
          const length = typeBytes + rest.readInt32BE(passed + typeBytes)
          if (rest.length < passed + length) break
          const type = typeBytes === 0 ? '' : String.fromCharCode(rest[passed] ?? 0)
          if (from === client) isStarted = true
          const body = rest.subarray(passed + typeBytes + 4, passed + length)
          if (isStopped(type, body)) return
          passed += length
        }
        if (passed > 0) to.write(rest.subarray(0, passed))
        rest = Buffer.from(rest.subarray(passed))
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = new URL(databaseUrl)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    arm(next, act) {
      isHeld = false
      isIt = next
      then = act
    },
    async close() {
      for (const socket of sockets) socket.destroy()
      server.close()
      await once(server, 'close')
    },
  }
}

function readStrings(body: Buffer): string[] {
  const strings: string[] = []
  for (let start = 0; strings.length < 2; ) {
    const end = body.indexOf(0, start)
    if (end === -1) break
    strings.push(body.toString('utf8', start, end))
    start = end + 1
  }
  return strings
}

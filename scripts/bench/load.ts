/**
 * Generates load on one URL and prints the results as JSON. Each of several connections sends its next request as soon
 * as it has received the previous response. The script runs as a separate process and uses plain sockets, so that it
 * needs little processor time itself.
 *
 *   echo '{"port":3000,"requests":["GET / HTTP/1.1…"],"connections":32,"seconds":3}' | npx node scripts/bench/load.ts
 */
import { connect } from 'node:net'

export interface Load {
  port: number
  /**
   * Complete requests in the form in which they are sent. Each connection starts with a different request and then
   * sends all of them in turn.
   */
  requests: string[]
  connections: number
  seconds: number
}

export interface LoadResult {
  answered: number
  /** The number of responses with a status other than 2xx. */
  refused: number
  seconds: number
  p50Ms: number
  p99Ms: number
}

const END_OF_HEAD = Buffer.from('\r\n\r\n')
const LENGTH = Buffer.from('\r\nContent-Length: ')
const [CARRIAGE_RETURN, ZERO, TWO] = [13, 48, 50]

function runLoad({ port, requests, connections, seconds }: Load): Promise<LoadResult> {
  const wire = requests.map((request) => Buffer.from(request))
  const latencies: number[] = []
  let refused = 0
  const started = performance.now()
  const until = started + seconds * 1000

  const one = (first: number) =>
    new Promise<void>((done, fail) => {
      let next = first
      let sentAt = 0
      let held: Buffer = Buffer.alloc(0)
      let missing = 0
      const socket = connect(port, '127.0.0.1', send)
      socket.setNoDelay(true)
      socket.on('error', fail)
      socket.on('close', () => fail(new Error('The service closed a connection.')))
      socket.on('data', (chunk: Buffer) => {
        if (missing > 0) {
          missing -= chunk.length
          if (missing === 0) answered()
          return
        }
        held = held.length === 0 ? chunk : Buffer.concat([held, chunk])
        const head = held.indexOf(END_OF_HEAD)
        if (head === -1) return
        if (held[9] !== TWO) refused++
        missing = head + END_OF_HEAD.length + contentLength(held, head) - held.length
        held = Buffer.alloc(0)
        if (missing === 0) answered()
      })

      function send(): void {
        sentAt = performance.now()
        socket.write(wire[next % wire.length] ?? '')
        next++
      }

      function answered(): void {
        const now = performance.now()
        latencies.push(now - sentAt)
        if (now < until) send()
        else {
          socket.removeAllListeners('close').destroy()
          done()
        }
      }
    })

  return Promise.all(
    Array.from({ length: connections }, (_, i) => one(Math.floor((i * wire.length) / connections))),
  ).then(() => {
    const took = (performance.now() - started) / 1000
    const sorted = Float64Array.from(latencies).sort()
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0
    return { answered: sorted.length, refused, seconds: took, p50Ms: at(0.5), p99Ms: at(0.99) }
  })
}

function contentLength(bytes: Buffer, end: number): number {
  const at = bytes.indexOf(LENGTH)
  if (at === -1 || at > end) return 0
  let length = 0
  for (let i = at + LENGTH.length; bytes[i] !== CARRIAGE_RETURN; i++) length = length * 10 + ((bytes[i] ?? ZERO) - ZERO)
  return length
}

if (process.argv[1] === import.meta.filename) {
  process.stdin.setEncoding('utf8')
  let input = ''
  for await (const chunk of process.stdin) input += chunk
  console.log(JSON.stringify(await runLoad(JSON.parse(input) as Load)))
}

import { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'
import { ORGANIZATION_SETTING } from './pool-driver.ts'

/**
 * The messages AuthenticationOk, and ReadyForQuery outside of a transaction:
 * https://www.postgresql.org/docs/current/protocol-message-formats.html
 */
const WELCOME = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')

/** The type of the message that ends a connection. PGlite would shut down if it received this message. */
const TERMINATE = 'X'.charCodeAt(0)

/** Every message begins with its type, except for the first message of a connection, which begins with its length. */
const isStartup = (message: Buffer) => message[0] === 0

/**
 * A stream that `pg` uses as the socket to the server. Data that `pg` writes is passed to PGlite, and `pg` reads
 * PGlite's responses from the stream. All messages of a statement are passed to PGlite together, and the responses are
 * returned together. PGlite's own adapter runs the messages one by one and parses the responses twice, which makes a
 * short statement take 50 % longer.
 */
export class EmbeddedStream extends Duplex {
  readonly #lite: PGlite

  constructor(lite: PGlite) {
    super()
    this.#lite = lite
  }

  connect(): void {
    process.nextTick(() => this.emit('connect'))
  }

  // Methods that `pg` calls on a real socket.
  setNoDelay(): void {}
  ref(): void {}
  unref(): void {}

  override _read(): void {}

  override _write(message: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.#answer([message]).then(() => done(), done)
  }

  override _writev(messages: { chunk: Buffer }[], done: (error?: Error | null) => void): void {
    this.#answer(messages.map(({ chunk }) => chunk)).then(() => done(), done)
  }

  override _final(done: () => void): void {
    this.push(null)
    done()
  }

  async #answer(messages: Buffer[]): Promise<void> {
    if (messages[0] !== undefined && isStartup(messages[0])) {
      // PGlite has one session. A new connection continues that session and must find no state of the previous
      // connection.
      await this.#lite.exec(`rollback; deallocate all; reset role; reset ${ORGANIZATION_SETTING}`)
      this.push(WELCOME)
      return
    }
    const said = Buffer.concat(messages.filter(([letter]) => letter !== TERMINATE))
    if (said.length === 0) return
    const answers: Buffer[] = []
    // The bytes are copied, because PGlite reuses the memory that contains them.
    const onRawData = (answer: Uint8Array) => void answers.push(Buffer.from(answer))
    await this.#lite.execProtocolRawStream(said, { onRawData })
    this.push(Buffer.concat(answers))
  }
}

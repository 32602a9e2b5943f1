import { Duplex } from 'node:stream'
import type { PGlite } from '@electric-sql/pglite'
import { ORGANIZATION_SETTING } from './pool-driver.ts'

/**
 * The messages AuthenticationOk and ReadyForQuery (outside of a transaction); see
 * https://www.postgresql.org/docs/current/protocol-message-formats.html.
 */
const WELCOME = Buffer.from('R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I', 'latin1')

/** The type of the message that ends a connection. The message must not reach PGlite, which would shut down. */
const TERMINATE = 'X'.charCodeAt(0)

/** Every message begins with its type, except the first message of a connection, which begins with its length. */
const isStartup = (message: Buffer) => message[0] === 0

/**
 * A stream that `pg` uses instead of a socket. The stream passes the messages that `pg` writes to PGlite, and returns
 * the responses of PGlite. The stream passes all messages of a statement to PGlite together, and returns all responses
 * together. The adapter of PGlite processes the messages one by one and parses the responses twice, which makes a short
 * statement 50% slower.
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

  // These methods exist only because `pg` calls them on a socket.
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
      // PGlite has one session, which a new connection continues. Remove all state of the previous connection.
      await this.#lite.exec(`rollback; deallocate all; reset role; reset ${ORGANIZATION_SETTING}`)
      this.push(WELCOME)
      return
    }
    const said = Buffer.concat(messages.filter(([letter]) => letter !== TERMINATE))
    if (said.length === 0) return
    const answers: Buffer[] = []
    // Copy the bytes, because PGlite reuses their memory.
    const onRawData = (answer: Uint8Array) => void answers.push(Buffer.from(answer))
    await this.#lite.execProtocolRawStream(said, { onRawData })
    this.push(Buffer.concat(answers))
  }
}

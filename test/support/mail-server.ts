import type { AddressInfo } from 'node:net'
import { SMTPServer } from 'smtp-server'

/** A real SMTP server on a free port. It stores accepted email and rejects the email that a test specifies. */
export interface MailServer {
  /** The environment variables with which a service sends its email to this server. */
  env: { SMTP_URL: string; MAIL_FROM: string }
  received: ReceivedMail[]
  /** Sets the SMTP codes with which the server rejects the next attempts for an address, in order. */
  refuse(address: string, ...codes: number[]): void
  /** Returns the maximum number of connections that were open at the same time. */
  mostConnections(): number
  /** Returns the next email to the address that has not been returned yet. Fails after ten seconds. */
  next(address: string): Promise<ReceivedMail>
  stop(): Promise<void>
}

export interface ReceivedMail {
  from: string
  to: string[]
  /** The whole email as it was transferred. */
  source: string
  /** Returns a header without its line breaks; undefined if there is no such header. */
  header(name: string): string | undefined
}

export async function startMailServer(): Promise<MailServer> {
  const received: ReceivedMail[] = []
  const requested = new Set<ReceivedMail>()
  const refusals = new Map<string, number[]>()
  let open = 0
  let max = 0
  const server = new SMTPServer({
    authOptional: true,
    // Does not offer STARTTLS, because there is no trusted certificate.
    hideSTARTTLS: true,
    onConnect(_session, done) {
      open++
      max = Math.max(max, open)
      done()
    },
    onClose() {
      open--
    },
    onRcptTo({ address }, _session, done) {
      const responseCode = refusals.get(address)?.shift()
      done(responseCode === undefined ? null : Object.assign(new Error('Not now.'), { responseCode }))
    },
    onData(stream, { envelope }, done) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        const source = Buffer.concat(chunks).toString()
        const head = source.slice(0, source.indexOf('\r\n\r\n')).replace(/\r\n[ \t]+/g, ' ')
        const headers = new Map(head.split('\r\n').map((line) => [line.split(':', 1)[0]?.toLowerCase(), line]))
        const from = envelope.mailFrom === false ? '' : envelope.mailFrom.address
        const header = (name: string) => headers.get(name.toLowerCase())?.slice(name.length + 2)
        received.push({ from, to: envelope.rcptTo.map(({ address }) => address), source, header })
        done()
      })
    },
  })
  await new Promise<void>((done) => {
    server.listen(0, '127.0.0.1', done)
  })
  const { port } = server.server.address() as AddressInfo
  return {
    env: { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'no-reply@plumbline.example.com' },
    received,
    refuse: (address, ...codes) => void refusals.set(address, codes),
    mostConnections: () => max,
    async next(address) {
      const deadline = Date.now() + 10_000
      for (;;) {
        const mail = received.find((one) => one.to.includes(address) && !requested.has(one))
        if (mail !== undefined) {
          requested.add(mail)
          return mail
        }
        if (Date.now() > deadline) throw new Error(`No mail to ${address} came.`)
        await new Promise((next) => setTimeout(next, 20))
      }
    },
    stop: () => new Promise((done) => server.close(done)),
  }
}

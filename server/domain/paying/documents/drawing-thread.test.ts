import { expect, test } from 'vitest'
import { DrawingThread } from './drawing-thread.ts'

// Modules in the form that the thread loads. They create conditions that no record of the service can cause.
const moduleOf = (source: string) => `data:text/javascript,${encodeURIComponent(source)}`
const QUICK = moduleOf('export const drawDocument = async ({ text }) => Buffer.from(text)')
const ENDLESS = moduleOf('export const drawDocument = () => { for (;;) {} }')
const GREEDY = moduleOf('export const drawDocument = () => { for (const all = []; ; ) all.push(Array(1e5).fill({})) }')
const BROKEN = moduleOf("export const drawDocument = async () => { throw new TypeError('It cannot be drawn.') }")
const request = (module: string, text = 'x') => ({ fileName: 'PO-7.pdf', module, sheet: JSON.stringify({ text }) })

test('a document that takes too long is aborted without affecting the next document', async () => {
  // The limit allows enough time to start a thread, so that the next document does not exceed the limit.
  const thread = new DrawingThread({ mostMs: 3000 })
  const endless = thread.draw(request(ENDLESS))
  const next = thread.draw(request(QUICK, 'next'))
  await expect(endless).rejects.toMatchObject({
    code: 'too_much_work',
    message: 'Creating PO-7.pdf takes more than 3 seconds. Shorten the text in the document.',
  })
  expect((await next).toString()).toBe('next')
}, 30_000)

test('a document that uses too much memory is aborted', async () => {
  const thread = new DrawingThread({ mostMs: 60_000 })
  await expect(thread.draw(request(GREEDY))).rejects.toMatchObject({ code: 'too_much_work' })
  expect((await thread.draw(request(QUICK, 'next'))).toString()).toBe('next')
}, 60_000)

test('an error while a document is created does not affect other documents', async () => {
  const thread = new DrawingThread()
  await expect(thread.draw(request(BROKEN))).rejects.toThrow('It cannot be drawn.')
  expect((await thread.draw(request(QUICK, 'next'))).toString()).toBe('next')
})

test('concurrent documents are created one at a time, each with its own content', async () => {
  const thread = new DrawingThread({ idleMs: 0 })
  const texts = ['a', 'b', 'c']
  const drawn = await Promise.all(texts.map((text) => thread.draw(request(QUICK, text))))
  expect(drawn.map(String)).toEqual(texts)
  // If the idle thread has already ended, the next document starts a new thread.
  expect((await thread.draw(request(QUICK, 'd'))).toString()).toBe('d')
})

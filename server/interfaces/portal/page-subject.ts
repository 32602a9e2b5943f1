/** The kind of the record that a page shows, by ID prefix. */
const KIND_BY_PREFIX = {
  inv: 'invitation',
  tsk: 'task',
  msg: 'message',
  lw: 'waiver',
  po: 'order',
  bill: 'bill',
  pun: 'punch',
  vis: 'visit',
  dwg: 'drawing',
} as const

export type SubjectKind = (typeof KIND_BY_PREFIX)[keyof typeof KIND_BY_PREFIX]

export function getSubjectKind(id: string): SubjectKind | null {
  const prefix = Object.keys(KIND_BY_PREFIX).find((each): each is keyof typeof KIND_BY_PREFIX =>
    id.startsWith(`${each}_`),
  )
  return prefix === undefined ? null : KIND_BY_PREFIX[prefix]
}

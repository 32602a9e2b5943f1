/** The subject of a page, by the prefix of its ID. */
const KINDS = { inv: 'invitation', tsk: 'task', msg: 'message', lw: 'waiver', po: 'order' } as const

export type Kind = (typeof KINDS)[keyof typeof KINDS]

export function kindOf(id: string): Kind | null {
  const prefix = Object.keys(KINDS).find((each): each is keyof typeof KINDS => id.startsWith(`${each}_`))
  return prefix === undefined ? null : KINDS[prefix]
}

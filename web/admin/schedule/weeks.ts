const DAY_MS = 86_400_000

export function addDays(date: string, days: number): string {
  return new Date(Date.parse(`${date}T00:00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/** Returns the Monday of the date's week. */
export function findMonday(date: string): string {
  const weekday = new Date(`${date}T00:00:00Z`).getUTCDay()
  return addDays(date, -((weekday + 6) % 7))
}

/** Returns the given number of weeks, each from Monday to Sunday. */
export function listWeeks(monday: string, count: number): { from: string; to: string }[] {
  return Array.from({ length: count }, (_, week) => {
    const from = addDays(monday, week * 7)
    return { from, to: addDays(from, 6) }
  })
}

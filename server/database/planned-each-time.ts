/**
 * Ends the text of a statement that is planned for the values of each call. A prepared one soon gets a plan for usual
 * values: asked for the few rows of a rare value, it would walk through all others in the order of the list. To plan a
 * list takes several times as long as to read it, so a statement that has one good plan for all values is prepared.
 */
export const PLANNED_EACH_TIME = ' -- planned each time'

export function isPlannedEachTime(text: string): boolean {
  return text.endsWith(PLANNED_EACH_TIME)
}

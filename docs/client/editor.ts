export interface Editor {
  javascript(): Promise<string>
  focus(): void
}
export async function createEditor(place: HTMLElement, code: string): Promise<Editor> {
  place.textContent = code
  return { javascript: async () => code, focus() {} }
}

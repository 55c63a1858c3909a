/** Which workspace this browser works in; the server is told with every request. */
import { remember, remembered } from "../stored";

const KEY = "pinakes.workspace";

export function chosenWorkspace(): string | null {
  return remembered(KEY);
}

export function chooseWorkspace(id: string | null): void {
  remember(KEY, id);
}
